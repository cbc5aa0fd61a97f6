/** A table about the whole API: part of the OpenAPI document's description, and a section of the reference page. */
export interface ApiTable {
  title: string
  intro: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

/**
 * Writes a table as Markdown, for descriptions in the OpenAPI document. Its syntax is that of GitHub Flavored Markdown,
 * which viewers commonly support: CommonMark, which OpenAPI prescribes, has no tables.
 */
export function asMarkdown({ title, intro, columns, rows }: ApiTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [`## ${title}`, '', intro, '', line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}
