import { useEffect, useRef } from 'react'

/** Reads again when another version of the same thing is told of. Another thing is read by who loads it. */
export function useReloadOn(id: string | undefined, version: string | undefined, reload: () => void): void {
  const known = useRef({ id, version })
  useEffect(() => {
    const before = known.current
    known.current = { id, version }
    if (before.id === id && before.version !== version) reload()
  }, [id, version, reload])
}
