import { env } from "cloudflare:workers";
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
