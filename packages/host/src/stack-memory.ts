/** The memory that the process of a stack may use. Above this limit it ends itself. */
export const STACK_MEMORY_MB = 512
