const normalize = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Whether the typed text equals the expected one. The number of spaces does not count, because users cannot see it. */
export const sameText = (typed: string, text: string): boolean => normalize(typed) === normalize(text)
