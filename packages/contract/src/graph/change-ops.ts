export const CHANGE_OPS = ['create', 'update', 'delete'] as const
export type ChangeOp = (typeof CHANGE_OPS)[number]
