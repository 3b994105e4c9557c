import { env } from "cloudflare:workers";
import { EncryptedSerializer } from "../../../src/checkpoint/serde/encryption/encrypted-serializer.ts";
import type { OpenSaver } from "../../contract/fixtures.ts";
import { saverContract } from "../../contract/saver.ts";
import { SaverObject } from "./durable-saver.ts";
import type { SaverSettings } from "./durable-saver.ts";

async function open(settings: SaverSettings): Promise<OpenSaver> {
  const object = await SaverObject.create();
  const saver = await object.saver({ inlineLimit: 8192, ...settings });
  return { saver, inPlace: (work) => object.run(() => work(saver.inner)) };
}

saverContract("SqliteSaver without a bucket", () => open({}));

saverContract("SqliteSaver with a bucket", () => open({ bucket: env.BLOBS }));

const serde = () => new EncryptedSerializer({ current: "a", keys: { a: new Uint8Array(32).fill(1) } });

saverContract("SqliteSaver that encrypts, without a bucket", () => open({ serde: serde() }));

saverContract("SqliteSaver that encrypts, with a bucket", () => open({ serde: serde(), bucket: env.BLOBS }));
