const LATIN: Record<string, string> = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'e', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l' },
  ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh' },
  ...{ щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya', ß: 'ss' },
}

/** A key of Latin letters, digits and hyphens for a layer with this name. `taken` are the keys of the other layers. */
export function layerKey(name: string, taken: ReadonlySet<string>): string {
  const latin = [...name.toLowerCase().normalize('NFC')].map((letter) => LATIN[letter] ?? letter).join('')
  const words = latin
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .match(/[a-z0-9]+/g)
  const joined = (words ?? []).join('-').slice(0, 55).replace(/-$/, '')
  const key = joined.length < 2 ? `layer${joined === '' ? '' : `-${joined}`}` : joined
  for (let n = 1; ; n++) {
    const next = n === 1 ? key : `${key}-${n}`
    if (!taken.has(next)) return next
  }
}
