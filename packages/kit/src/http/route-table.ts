interface Entry {
  parts: readonly string[]
  methods: Set<string>
}

/**
 * The methods of each address. The framework's router finds a route only by address and method together, so the router
 * cannot list the methods of an address.
 */
export class RouteTable {
  readonly #entries = new Map<string, Entry>()

  add(url: string, methods: string | readonly string[]): void {
    const entry = this.#entries.get(url) ?? { parts: url.split('/'), methods: new Set() }
    for (const method of [methods].flat()) entry.methods.add(method)
    this.#entries.set(url, entry)
  }

  /** Empty if no route has this address. */
  methodsAt(target: string): string[] {
    const parts = partsOf(target)
    const found = new Set<string>()
    for (const entry of this.#entries.values()) {
      if (fits(entry.parts, parts)) for (const method of entry.methods) found.add(method)
    }
    if (found.size > 0) found.add('OPTIONS')
    return [...found].sort()
  }
}

function partsOf(target: string): string[] {
  const path = /^[^?#]*/.exec(target)![0]
  try {
    return decodeURI(path).split('/')
  } catch {
    return []
  }
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern.length !== parts.length) return false
  return pattern.every((wanted, i) => {
    const part = parts[i]!
    return wanted.startsWith(':') ? part.length > 0 : wanted === part
  })
}
