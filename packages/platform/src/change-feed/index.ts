export { kindsOf, noteChange, publishChanges } from './changes.ts'
export { createRepeatedChange } from './repeated-change.ts'
