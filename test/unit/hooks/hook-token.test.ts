import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { checkHookKeys } from "../../../src/hooks/hook-keys.ts";
import { mintHook, readHook } from "../../../src/hooks/hook-token.ts";
import { checkWebhookSecrets, webhookHeaders } from "../../../src/hooks/webhook-signature.ts";

const key = (id: string) => ({ id, secret: `${id}-`.repeat(32) });
const hook = {
  tenant: "täñant",
  threadId: "thread / 1",
  checkpointId: "c",
  interruptId: "i",
  expires: 1000,
  nonce: "n",
};
const invalid = { code: "invalid_hook" };

describe("the token of a link", () => {
  it("gives back what it was made of, until its time is over", async () => {
    const token = await mintHook([key("a")], hook);
    expect(token).toMatch(/^[\w-]+\.[\w-]+$/);
    expect(await readHook([key("a")], token, 999)).toEqual(hook);
    await expect(readHook([key("a")], token, 1000)).rejects.toMatchObject({ code: "hook_expired" });
  });

  it("is signed by the first key, and taken of any", async () => {
    const token = await mintHook([key("a"), key("b")], hook);
    expect(await readHook([key("c"), key("a")], token, 0)).toEqual(hook);
    await expect(readHook([key("b")], token, 0)).rejects.toMatchObject(invalid);
    await expect(readHook([{ ...key("b"), id: "a" }], token, 0)).rejects.toMatchObject(invalid);
    await expect(readHook([], token, 0)).rejects.toMatchObject(invalid);
  });

  it("is worth nothing when anything of it is changed, also when its time is over", async () => {
    const token = await mintHook([key("a")], hook);
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === "A" ? "B" : "A";
      const forged = token.slice(0, index) + other + token.slice(index + 1);
      const isSame = Buffer.from(forged.split(".")[1] ?? "", "base64url").equals(
        Buffer.from(token.split(".")[1] ?? "", "base64url"),
      );
      // The last character of a signature has bits that mean nothing.
      if (isSame && forged.split(".")[0] === token.split(".")[0]) continue;
      await expect(readHook([key("a")], forged, 5000)).rejects.toMatchObject(invalid);
    }
    for (const forged of [
      "",
      ".",
      `${token}.`,
      `.${token}`,
      `${token}.x`,
      token.slice(0, -1),
      `${token} `,
      "é.é",
    ])
      await expect(readHook([key("a")], forged, 0)).rejects.toMatchObject(invalid);
  });

  it("needs keys that are worth something", () => {
    expect(checkHookKeys([key("a"), key("b")])).toHaveLength(2);
    for (const keys of [[], [{ id: "a", secret: "short" }], [key("a"), key("a")], [{ ...key("a"), id: "" }]])
      expect(() => checkHookKeys(keys)).toThrow(expect.objectContaining({ code: "invalid_hook_keys" }));
  });
});

describe("the signature of a message", () => {
  it("is that of the Standard Webhooks, one for each secret", async () => {
    const secrets = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`);
    const headers = await webhookHeaders(secrets, { id: "msg_1", time: 1_700_000_000_999, body: "{}" });
    const signed = [1, 2].map((byte) => {
      const mac = createHmac("sha256", Buffer.alloc(32, byte)).update("msg_1.1700000000.{}").digest("base64");
      return `v1,${mac}`;
    });
    expect(headers).toEqual({
      "webhook-id": "msg_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": signed.join(" "),
    });
    for (const secret of ["", "whsec_", "whsec_AAAA", Buffer.alloc(32).toString("base64"), "whsec_%%%"])
      expect(() => checkWebhookSecrets([secret])).toThrow(
        expect.objectContaining({ code: "invalid_webhook_secret" }),
      );
  });
});
