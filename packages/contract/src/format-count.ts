/**
 * A whole number with commas, such as 10,000. `toLocaleString` does the same, but even one call takes 6 MB of memory of
 * the process, for the tables of all languages.
 */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
