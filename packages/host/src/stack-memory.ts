/** The memory that the process of a stack may use. Above this limit the process ends itself. */
export const STACK_MEMORY_MB = 512
