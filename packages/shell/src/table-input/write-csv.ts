/** Formats rows as CSV that spreadsheets open as a table. */
export function csvOf(rows: readonly (readonly string[])[], delimiter = ','): string {
  return rows.map((cells) => cells.map((cell) => quoted(cell, delimiter)).join(delimiter)).join('\r\n')
}

function quoted(cell: string, delimiter: string): string {
  // A spreadsheet would run a cell that begins like a formula. A negative number is no formula.
  const safe = /^[=+@\t\r]|^-(?!\d+([.,]\d+)?(e[-+]?\d+)?$)/i.test(cell) ? `'${cell}` : cell
  return safe.includes(delimiter) || /["\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Saves a text as a file. The byte order mark lets Excel recognize UTF-8. */
export function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
