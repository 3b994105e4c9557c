/** The text of a message that came piece by piece, as a node may return it. */
export type TextMessage = {
  readonly type: "ai";
  readonly id: string;
  readonly content: string;
  readonly name?: string;
};

export interface MessageOptions {
  readonly id?: string;
  readonly name?: string;
}
