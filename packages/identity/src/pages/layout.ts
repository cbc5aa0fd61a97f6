import { createHash } from 'node:crypto'
import type { Context } from '../realm/koa.ts'
import { Html, html } from './html.ts'
import { localeOf } from './texts.ts'

export interface Page {
  title: string
  /** The heading of the page, if it needs markup. By default the title. */
  heading?: Html
  body: Html
  status?: number
  /** URLs to whose origins the forms of this page may redirect: browsers apply `form-action` to redirects too. */
  formTargets?: readonly (string | undefined)[]
}

const STYLE = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent);--ink:#1b1f24;--paper:#fff;--ground:#f4f5f7;--accent:#0b6661;--on-accent:#fff;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#1b1e23;--ground:#121417;--accent:#5cc4bb;--on-accent:#06201e;--bad:#f28b82}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink)}
main{width:100%;max-width:25rem;background:var(--paper);border:1px solid var(--line);border-radius:.75rem;padding:2rem}
.brand{display:flex;align-items:center;gap:.5rem;font-weight:600;margin:0 0 1.5rem}
.brand svg{width:1.5rem;height:1.5rem;color:var(--accent)}
h1{font-size:1.4rem;line-height:1.25;margin:0 0 .5rem;overflow-wrap:anywhere}
.name{display:inline-block;max-width:100%}
p{margin:0 0 1rem}.quiet,.small{font-size:.9rem}.quiet{opacity:.75}
label{display:block;font-weight:600;font-size:.9rem;margin:1rem 0 .3rem}
input{font:inherit;width:100%;padding:.6rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:transparent;color:inherit}
.code{font:600 1.5rem/1.2 ui-monospace,monospace;letter-spacing:.12em;text-align:center;text-transform:uppercase}
output.code{display:block;margin:1rem 0;padding:.75rem;border:1px dashed var(--line);border-radius:.5rem}
button{font:inherit;font-weight:600;width:100%;padding:.65rem;border-radius:.5rem;border:1px solid transparent;background:var(--accent);color:var(--on-accent);cursor:pointer;margin-top:1.25rem}
button.plain{background:transparent;color:inherit;border-color:var(--line);margin-top:.6rem;font-weight:400}
.hint{margin:1rem 0 0}
button:hover{filter:brightness(1.08)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.bad{border:1px solid;color:var(--bad);border-radius:.5rem;padding:.5rem .75rem;font-size:.95rem}
input+.bad{margin:.6rem 0 0}input[aria-invalid]{border-color:var(--bad)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;font-size:.9rem;margin:1rem 0;overflow-wrap:anywhere}
dt{opacity:.75}dd{margin:0}a{color:var(--accent)}
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}
`
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

const MARK = new Html(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><path d="M12 3 3 7.5 12 12l9-4.5zM3 12l9 4.5 9-4.5M3 16.5 12 21l9-4.5"/></svg>',
)

/** Sends a page that has no scripts and no external resources, and that cannot be framed or cached. */
export function sendPage(ctx: Context, page: Page): void {
  ctx.status = page.status ?? 200
  ctx.type = 'html'
  ctx.set(PAGE_HEADERS)
  ctx.set('content-security-policy', policy(page.formTargets ?? []))
  ctx.body = html`<!doctype html><html lang="${localeOf(ctx)}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<title>${page.title} · Storey</title><style>${new Html(STYLE)}</style>
<main><p class="brand">${MARK} Storey</p>
<h1>${page.heading ?? page.title}</h1>
${page.body}</main></html>`.text
  ctx.state.isPage = true
}

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // With `no-referrer` browsers would send `Origin: null` with forms, but the origin of a form is checked.
  'referrer-policy': 'same-origin',
}

function policy(formTargets: readonly (string | undefined)[]): string {
  const origins = formTargets.flatMap((url) => (url === undefined ? [] : (URL.parse(url)?.origin ?? [])))
  return [
    "default-src 'none'",
    // Firefox requests the favicon by itself, under this policy.
    "img-src 'self'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ["form-action 'self'", ...new Set(origins)].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** An error message. Its role `alert` lets screen readers announce it. */
export const errorMessage = (text: string | undefined) =>
  text === undefined ? undefined : html`<p class="bad" id="error" role="alert">${text}</p>`
