export { type Adopted, adoptDatabase } from './adopt-database.ts'
export { type MoveDeps, type Moved, moveSandbox } from './move-sandbox.ts'
export { undoAbandonedMoves } from './undo-move.ts'
