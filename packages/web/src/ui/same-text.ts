const normalize = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Whether the typed text equals the expected one. Several spaces in a row count as one: they look the same. */
export const sameText = (typed: string, text: string): boolean => normalize(typed) === normalize(text)
