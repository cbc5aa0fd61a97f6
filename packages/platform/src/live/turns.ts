export interface TurnLimits {
  tasks: number
  ms: number
}

/**
 * Spreads tasks over turns of the event loop. A turn begins at most `tasks` tasks, and no further task once its tasks
 * have taken `ms`. A task begins immediately if these limits allow it and no other task waits. Otherwise it begins
 * after the tasks that wait.
 */
export function createTurns({ tasks, ms }: TurnLimits, now = () => performance.now()) {
  const waiting: (() => void)[] = []
  let begun = 0
  let spentMs = 0
  let isScheduled = false

  const isFree = () => begun < tasks && spentMs < ms

  function begin(task: () => void): void {
    const start = now()
    begun++
    task()
    spentMs += now() - start
  }

  function nextTurn(): void {
    isScheduled = false
    begun = 0
    spentMs = 0
    while (waiting.length > 0 && isFree()) begin(waiting.shift()!)
    if (begun > 0) schedule()
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }

  return (task: () => void): void => {
    schedule()
    if (waiting.length === 0 && isFree()) begin(task)
    else waiting.push(task)
  }
}
