import { expect, it } from "vitest";
import { type CacheFullKey, InMemoryCache } from "tidemark/checkpoint";

const one: CacheFullKey = [["n"], "1"];
const two: CacheFullKey = [["n", "m"], "2"];

it("gives what is there, until its time is over", async () => {
  const time = { now: 1000 };
  const cache = new InMemoryCache({ now: () => time.now });
  await cache.set([
    { key: one, value: { at: new Date(1), big: 2n }, ttl: 2 },
    { key: two, value: [1] },
  ]);
  time.now = 2999;
  expect(await cache.get([one, two, [["n"], "2"]])).toEqual([
    { key: one, value: { at: new Date(1), big: 2n } },
    { key: two, value: [1] },
  ]);
  time.now = 3000;
  expect(await cache.get([one, two])).toEqual([{ key: two, value: [1] }]);
});

it("keeps no hold of what it was given", async () => {
  const cache = new InMemoryCache<number[]>();
  const value = [1];
  await cache.set([{ key: one, value }]);
  value.push(2);
  const [entry] = await cache.get([one]);
  entry?.value.push(3);
  expect(await cache.get([one])).toEqual([{ key: one, value: [1] }]);
});

it("forgets the namespaces that it is told to, or all", async () => {
  const cache = new InMemoryCache();
  const fill = () =>
    cache.set([
      { key: one, value: 1 },
      { key: two, value: 2 },
    ]);
  await fill();
  await cache.clear([["n"]]);
  expect(await cache.get([one, two])).toEqual([{ key: two, value: 2 }]);
  await fill();
  await cache.clear([]);
  expect(await cache.get([one, two])).toEqual([]);
});
