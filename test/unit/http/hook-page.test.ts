import { expect, it } from "vitest";
import { messagePage, questionPage } from "../../../src/http/hooks/hook-page.ts";

const HOSTILE = `</pre><script>alert("1")</script><img src=x onerror='alert(2)'>&lt;`;
const SHOWN =
  "&#60;/pre&#62;&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#60;img src=x onerror=&#39;alert(2)&#39;&#62;&#38;lt;";

it.each([
  ["a question", questionPage(HOSTILE)],
  ["a message", messagePage("This link", HOSTILE)],
  ["a title", messagePage(HOSTILE, "Thank you")],
])("what %s says is shown, whatever signs it has", (_, page) => {
  expect(page).toContain(SHOWN);
  expect(page).not.toContain("<script");
  expect(page).not.toContain("<img");
});
