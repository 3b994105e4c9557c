import { html } from "hono/html";

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
export function questionPage(question: string) {
  return page(
    "Your answer is asked for",
    html`<pre>${question}</pre>
      <form method="post">
        <p>
          <label
            >Answer, as JSON or plain text<br /><textarea name="value" rows="6" cols="60" required></textarea>
          </label>
        </p>
        <p><button type="submit">Send</button></p>
      </form>`,
  );
}

export function messagePage(title: string, message: string) {
  return page(title, html`<p>${message}</p>`);
}

function page(title: string, content: unknown) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
      </head>
      <body>
        <h1>${title}</h1>
        ${content}
      </body>
    </html>`;
}
