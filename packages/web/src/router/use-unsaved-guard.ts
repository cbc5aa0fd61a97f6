import { useEffect } from 'react'
import { leaveTo } from './route.ts'
import { unsaved } from './unsaved.ts'

/**
 * While `isDirty`, asks the user to confirm a navigation, Back, a reload or closing the tab, because each of them
 * discards what the user has typed. Returns a `navigate` that does not ask, for use after the form was saved.
 */
export function useUnsavedGuard(isDirty: boolean): typeof leaveTo {
  useEffect(() => {
    if (!isDirty) return
    const release = unsaved.hold()
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => {
      release()
      removeEventListener('beforeunload', onUnload)
    }
  }, [isDirty])
  return leaveTo
}
