/** Nothing is loaded, run or framed; the form goes back to where it came from, and no address is passed on. */
export const PAGE_HEADERS = {
  "content-security-policy":
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow",
} as const;

/** Asks for the answer: whoever only looks at the link, as programs that show previews do, answers nothing. */
export function questionPage(question: string): string {
  return page(
    "Your answer is asked for",
    `<pre>${escaped(question)}</pre>
<form method="post">
<p><label>Answer, as JSON or plain text<br /><textarea name="value" rows="6" cols="60" required></textarea></label></p>
<p><button type="submit">Send</button></p>
</form>`,
  );
}

export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escaped(message)}</p>`);
}

/** `content`: HTML. Its head and body begin and end by themselves. */
function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<title>${escaped(title)}</title>
<h1>${escaped(title)}</h1>
${content}`;
}

/** Text as HTML shows it. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
