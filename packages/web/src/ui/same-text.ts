const plain = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Whether somebody has typed a text: how many spaces stand between its words cannot be seen. */
export const sameText = (typed: string, text: string): boolean => plain(typed) === plain(text)
