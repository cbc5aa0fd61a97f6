/**
 * A whole number with commas, such as 10,000. `toLocaleString` does the same, but even one call takes 6 MB of memory of
 * the process, for the tables of all languages.
 */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** A number and its noun, such as `1 storey` or `3 storeys`. */
export const countOf = (count: number, one: string, other = `${one}s`): string =>
  `${count} ${count === 1 ? one : other}`
