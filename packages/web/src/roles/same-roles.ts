/** Whether two accounts have the same roles, in any order. */
export const sameRoles = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join() === b.toSorted().join()
