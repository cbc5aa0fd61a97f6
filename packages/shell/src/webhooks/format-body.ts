/** A JSON body with one field per line; any other text, such as a JSON body that was cut, unchanged. */
export function formatBody(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
