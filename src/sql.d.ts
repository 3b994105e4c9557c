/** A migration, imported as its text. */
declare module "*.sql" {
  const text: string;
  export default text;
}
