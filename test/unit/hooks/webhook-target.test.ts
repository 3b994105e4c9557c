import { describe, expect, it } from "vitest";
import { checkWebhookTarget } from "../../../src/hooks/webhook-target.ts";

const check = (url: string, allowed: readonly string[] = []) => checkWebhookTarget(url, allowed).host;
const refusal = expect.objectContaining({ code: "invalid_webhook" });

describe("where a webhook may be sent", () => {
  it.each([
    ["https://example.com/hook?key=1", "example.com"],
    ["https://example.com:443/", "example.com"],
    ["https://hooks.example.co.uk./x", "hooks.example.co.uk."],
    ["https://8.8.8.8/", "8.8.8.8"],
    ["https://[2606:4700:4700::1111]/", "[2606:4700:4700::1111]"],
  ])("is the internet: %s", (url, host) => {
    expect(check(url)).toBe(host);
  });

  it.each([
    "no url",
    "/path",
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://user:password@example.com/",
    "https://user@example.com/",
    "https://example.com:8443/",
    "https://example.com:22/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://x.localhost/",
    "https://intranet/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://router.lan/",
    "https://x.home.arpa/",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://0x7f000001/",
    "https://0/",
    "https://10.1.2.3/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://198.19.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::]/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[0:0:0:0:0:ffff:a00:1]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2001::1]/",
    "https://[2001:db8::1]/",
    "https://[fc00::1]/",
    "https://[fd12:3456::1]/",
    "https://[fe80::1]/",
    "https://[ff02::1]/",
    "https://①②⑦.0.0.1/",
  ])("is nowhere else: %s", (url) => {
    expect(() => check(url)).toThrow(refusal);
  });

  it("is also what is allowed, by its very host and port", () => {
    expect(check("http://localhost:9000/x", ["localhost:9000"])).toBe("localhost:9000");
    expect(check("https://10.0.0.1/", ["10.0.0.1"])).toBe("10.0.0.1");
    expect(() => check("http://localhost:9001/x", ["localhost:9000"])).toThrow(refusal);
    expect(() => check("http://a:b@localhost:9000/x", ["localhost:9000"])).toThrow(refusal);
    expect(() => check("ftp://localhost:9000/x", ["localhost:9000"])).toThrow(refusal);
  });
});
