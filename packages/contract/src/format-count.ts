/**
 * A whole number with commas, such as 10,000. `toLocaleString` does the same and takes 6 MB of memory for the tables of
 * all languages, in each process that calls it once.
 */
export const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
