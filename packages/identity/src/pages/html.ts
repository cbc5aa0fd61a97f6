/** Markup in which all text is already escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Content = Html | string | number | undefined | readonly Content[]

/** html`<p>${name}</p>` escapes text, inserts markup as it is, and inserts nothing for undefined. */
export function html(parts: TemplateStringsArray, ...contents: Content[]): Html {
  return new Html(parts.map((part, i) => part + render(contents[i])).join(''))
}

function render(content: Content): string {
  if (content === undefined) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'object') return content.map(render).join('')
  return String(content).replace(/[&<>"'`]/g, (c) => `&#${c.charCodeAt(0)};`)
}
