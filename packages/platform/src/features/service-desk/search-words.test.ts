import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keptWords, searchFor, wordsOf } from './search-words.ts'
import { startTestDesk, type TestDesk } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const search = async (text: string): Promise<string[]> => {
  const { status, body } = await desk.list(`?limit=200&search=${encodeURIComponent(text)}`)
  expect(status).toBe(200)
  expect(body.total).toBe(body.data.length)
  return body.data.map(({ id }: { id: string }) => id)
}

describe('search', () => {
  it.each([
    ['Das Wasser steht über der Tür', ['wasser', 'WASSER', 'über', 'uber', 'tür', 'tur', 'Tü', 'steht tür', 'asse']],
    ['Personenaufzug: Störung an der Straße', ['aufzug', 'störung', 'strasse', 'STRASSE', 'straß']],
    ['Лифт не работает, ёлка упала', ['лифт', 'ЛИФТ', 'работ', 'ботает', 'елка', 'ёлка', 'не лифт']],
    ['三号电梯故障，请尽快维修', ['电梯', '梯', '电梯故障', '三号电梯故障', '维修 电梯', '尽快维']],
    ['المصعد مُعَطَّل في الطابق الثالث', ['مصعد', 'المصعد', 'معطل', 'طابق']],
    ['エレベーターが故障しました', ['エレベーター', 'ベータ', '故障']],
    ['승강기가 멈췄어요', ['승강기', '강기', '멈췄']],
    ['Η ΠΟΡΤΑ ΕΙΝΑΙ ΚΛΕΙΣΤΗ, ΤΕΛΟΣ', ['πόρτα', 'τελος', 'τέλοσ']],
    ['लिफ्ट खराब है', ['लिफ्ट', 'खराब']],
    ['ลิฟต์เสียครับ', ['ลิฟต์', 'เสีย']],
    ['Radiator R-12.5 leaks 🔥🔥', ['r-12.5', '12', 'radiator leak', '🔥', 'Radiator']],
    ['İstanbul ışık', ['istanbul', 'isik', 'IŞIK']],
    [
      'Donaudampfschifffahrtsgesellschaftskapitän',
      ['dampfschifffahrtsgesellschaft', 'donaudampfschifffahrtsgesellschaftskapitan'],
    ],
  ])('[DSK-06] finds %s', async (title, terms) => {
    const { id } = await desk.open({ title })
    for (const term of terms) expect(await search(term), term).toContain(id)
  })

  it('[DSK-06] looks at title, description and number, for all words of it', async () => {
    const { id, number } = await desk.open({ title: 'Zanzibar boiler', description: 'makes\nquokka noises' })
    expect(await search('quokka zanzibar')).toEqual([id])
    expect(await search('zanzibar quokka unheard')).toEqual([])
    expect(await search(`quokka ${number}`)).toEqual([id])
    expect(await search(`${number}`)).toContain(id)
  })

  it.each([
    ['kettle', ['kettles', 'kittle', 'xettle']],
    ['ab', ['b', 'abc']],
    ['电梯门', ['电门', '梯电', '电梯门门']],
  ])('does not find %s by what is not in it', async (title, terms) => {
    const { id } = await desk.open({ title })
    for (const term of terms) expect(await search(term), term).not.toContain(id)
  })

  it('takes a term of many characters in one piece', async () => {
    const [ab, cd] = [await desk.open({ title: '甲乙丙 乙丙丁' }), await desk.open({ title: '甲乙丙丁' })]
    expect(await search('甲乙丙丁')).toEqual([cd.id])
    expect(await search('乙丙')).toEqual([cd.id, ab.id])
    const long = 'abcdefghijklmnopqrstuvwxyz'
    const apart = await desk.open({ title: `${long.slice(0, 20)} ${long.slice(4)}` })
    const whole = await desk.open({ title: long })
    expect(await search(long)).toEqual([whole.id])
    expect(await search(long.slice(0, 18))).toEqual([whole.id, apart.id])
  })

  it('finds by the texts a request has now', async () => {
    const { id } = await desk.open({ title: 'gloomy corridor', description: 'the platypus' })
    await desk.patch(id, { title: 'bright corridor', description: null })
    expect([await search('gloomy'), await search('platypus'), await search('bright')]).toEqual([[], [], [id]])
  })

  it.each([
    '%',
    '_',
    '%%%',
    '---',
    "'",
    "''",
    '\\',
    "' | 'a",
    ':*',
    '!!',
    '&',
    '(',
    'a & ! b',
    '\t',
    '\u0301',
    '\\x00',
    '^a',
  ])('takes %j as it stands', async (text) => {
    await desk.open({ title: 'plain' })
    const { status, body } = await desk.list(`?search=${encodeURIComponent(text)}`)
    expect(status).toBe(200)
    if (wordsOf(text).length === 0) expect(body).toMatchObject({ total: 0, data: [] })
  })

  it('finds in the database exactly what stands in the folded words', async () => {
    const letter = fc.constantFrom(...'aäbé', '电', '梯', 'ラ', 'ー', '🔥', 'и', 'й', '1', 'ß')
    const word = fc.array(letter, { minLength: 1, maxLength: 22 }).map((letters) => letters.join(''))
    const sample = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), { numRuns: 40, seed: 7 })
    const titles = sample.map((words) => words.join(' ').slice(0, 199))
    const made = new Map<string, string[]>()
    for (const title of titles) made.set((await desk.open({ title: `${title} q` })).id, wordsOf(`${title} q`))
    const part = (text: string, i: number) => [...text].slice(i % 5, (i % 5) + 1 + (i % 19)).join('')
    const questions = titles.map(part).filter((text) => text.trim() !== '')
    expect(questions.length).toBeGreaterThan(30)
    for (const asked of questions) {
      const terms = wordsOf(asked)
      const expected = [...made].filter(([, words]) => terms.length > 0 && terms.every((term) => stands(term, words)))
      const found = (await search(asked)).filter((id) => made.has(id))
      expect(found.sort(), asked).toEqual(expected.map(([id]) => id).sort())
    }
  })
})

/** The rule in its plainest form. */
function stands(term: string, words: string[]): boolean {
  const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{N}]/u.test(term)
  if (isSpaced && [...term].length < 3) return words.some((word) => word.startsWith(term))
  return words.some((word) => word.includes(term))
}

/** Numbers without a pattern that shows. */
function random(i: number, below: number): number {
  const mixed = Math.imul(i ^ (i >>> 7), 0x85ebca6b)
  return (Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 8) % below
}

describe('long runs', () => {
  const letters = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x61 + random(i, 26)))

  it.each(['', '电'])('are found by any part, wherever they were cut', async (script) => {
    const run = letters.map((letter) => (script === '' ? letter : String.fromCodePoint(0x4e00 + letter.charCodeAt(0))))
    const { id } = await desk.open({ title: 'x', description: run.join('') })
    for (let i = 0; i <= 968; i += 44) expect(await search(run.slice(i, i + 32).join('')), `${i}`).toEqual([id])
    for (const i of [0, 224, 225, 256, 997]) expect(await search(run.slice(i, i + 3).join('')), `${i}`).toContain(id)
    expect(await search(run.slice(200, 205).join('') + run.slice(300, 305).join(''))).toEqual([])
  })

  it('are taken whatever their characters are folded into', async () => {
    const gothic = Array.from({ length: 5_000 }, (_, i) => String.fromCodePoint(0x10330 + random(i, 26)))
    const ligatures = Array.from({ length: 10_000 }, (_, i) => String.fromCodePoint(0xfdf2 + random(i, 8)))
    for (const description of [gothic, ligatures]) {
      const { id } = await desk.open({ title: 'x', description: description.join('') })
      expect(await search(description.slice(0, 4).join(''))).toContain(id)
    }
  })
})

describe('kept words', () => {
  it('hold nothing that the database or a query could take for something else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const kept = keptWords(text)
        expect(kept).toMatch(/^(?: [|~]?[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]+)*$/u)
        const search = searchFor(text)
        expect(search?.query ?? '').not.toMatch(/[\\\0]/)
        for (const piece of search?.pieces ?? []) expect(kept).toContain(piece)
      }),
    )
  })

  it('are asked for by nothing where nothing is asked', () => {
    expect(['%', ' ', '---', '\u0301', ''].map(searchFor)).toEqual(Array(5).fill(undefined))
  })
})
