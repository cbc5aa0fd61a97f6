/** Calls `back` when the browser is online again, or the tab is looked at again. */
export function onReturn(back: () => void): () => void {
  const look = () => {
    if (!document.hidden) back()
  }
  addEventListener('online', back)
  document.addEventListener('visibilitychange', look)
  return () => {
    removeEventListener('online', back)
    document.removeEventListener('visibilitychange', look)
  }
}
