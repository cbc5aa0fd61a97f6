/** Calls `back` when the browser is online again, or the tab is looked at or typed into again. */
export function onReturn(back: () => void): () => void {
  const look = () => {
    if (!document.hidden) back()
  }
  addEventListener('online', back)
  addEventListener('focus', look)
  document.addEventListener('visibilitychange', look)
  return () => {
    removeEventListener('online', back)
    removeEventListener('focus', look)
    document.removeEventListener('visibilitychange', look)
  }
}
