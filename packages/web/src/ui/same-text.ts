const normalize = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Whether the typed text equals the expected one. Users cannot see how many spaces are between words. */
export const sameText = (typed: string, text: string): boolean => normalize(typed) === normalize(text)
