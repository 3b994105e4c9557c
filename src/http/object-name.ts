/** The name of a thread's object. It must never change: under another name the thread would not be found. */
export function objectName(tenant: string, threadId: string): string {
  return JSON.stringify([tenant, threadId]);
}
