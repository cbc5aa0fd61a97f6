/** A table about the whole API: part of the OpenAPI document's description, and a section of the reference page. */
export interface ApiTable {
  title: string
  intro: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

/** Writes a table as CommonMark, which OpenAPI prescribes for descriptions. */
export function asMarkdown({ title, intro, columns, rows }: ApiTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [`## ${title}`, '', intro, '', line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}
