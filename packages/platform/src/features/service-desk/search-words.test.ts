import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordsOf } from './search-words.ts'
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
    ['Łódź: zepsuta żarówka, Đorđe', ['lodz', 'łódź', 'zarowka', 'dorde', 'ĐORĐE']],
    ['Rør på værelset lækker, smørrebrød', ['ror', 'vaerelset', 'VÆRELSET', 'laekker', 'smorrebrod']],
    ['Œuvre, STRAẞE, Ħamrun, Ŧ-stykke', ['oeuvre', 'strasse', 'straße', 'hamrun', 't-stykke']],
    ['Þórður á Seyðisfirði', ['thordur', 'seydisfirdi', 'þórður']],
    [
      'zero\u200bwidth joi\u200dned soft\u00adhyphen می\u200cخواهم',
      ['zerowidth', 'joined', 'softhyphen', 'میخواهم', 'owi'],
    ],
    [
      'Donaudampfschifffahrtsgesellschaftskapitän',
      ['dampfschifffahrtsgesellschaft', 'donaudampfschifffahrtsgesellschaftskapitan'],
    ],
  ])('[DSK-06] finds %s', async (title, terms) => {
    const { id } = await desk.open({ title })
    for (const term of terms) expect(await search(term), term).toContain(id)
  })

  it('[DSK-06] finds requests that have all words in title, description or number', async () => {
    const { id, number } = await desk.open({ title: 'Zanzibar boiler', description: 'makes\nquokka noises' })
    expect(await search('quokka zanzibar')).toEqual([id])
    expect(await search('zanzibar quokka unheard')).toEqual([])
    expect(await search(`quokka ${number}`)).toEqual([id])
    for (const part of [number.slice(0, 7), number.slice(3), `SR-${Number(number.slice(3))}`, 'sr']) {
      expect(await search(part), part).toContain(id)
    }
  })

  it('[DSK-06] finds by a complete number only the request with this number and requests that mention it', async () => {
    const made = [await desk.open({ title: 'Door 7' }), await desk.open({ title: 'Room 1, at 10:01' })]
    for (const { id, number } of made) {
      for (const written of [number, number.toLowerCase(), number.replace('-', ''), number.replace('-', '‑')]) {
        expect(await search(written), written).toEqual([id])
      }
    }
    expect((await search('SR-0000')).length).toBeGreaterThan(10)
    const { id } = await desk.open({ title: `As in ${made[0].number}` })
    expect(await search(made[0].number)).toEqual([id, made[0].id])
  })

  it('matches digits literally', async () => {
    const [bond, door] = [await desk.open({ title: 'Agent 007' }), await desk.open({ title: 'Door 7' })]
    const found = await search('007')
    expect(found).toContain(bond.id)
    expect(found).not.toContain(door.id)
    expect(await search('agent 7')).toEqual([])
    expect(await search('door 7')).toContain(door.id)
  })

  it.each([
    ['kettle', ['kettles', 'kittle', 'xettle']],
    ['ab', ['b', 'abc']],
    ['电梯门', ['电门', '梯电', '电梯门门']],
  ])('does not find %s by other words', async (title, terms) => {
    const { id } = await desk.open({ title })
    for (const term of terms) expect(await search(term), term).not.toContain(id)
  })

  it('matches a term as a whole, however long the term is', async () => {
    const [apart, whole] = [await desk.open({ title: '甲乙丙 乙丙丁' }), await desk.open({ title: '甲乙丙丁' })]
    expect(await search('甲乙丙丁')).toEqual([whole.id])
    expect(await search('乙丙')).toEqual([whole.id, apart.id])
    const run = Array.from({ length: 5_000 }, (_, i) => String.fromCharCode(0x61 + ((i * i * 7 + (i >> 3)) % 26))).join(
      '',
    )
    const { id } = await desk.open({ description: run })
    expect(await search(run.slice(-180))).toEqual([id])
    expect(await search(`${run.slice(0, 90)}${run.slice(100, 190)}`)).toEqual([])
  })

  it('searches the current texts of a request', async () => {
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
  ])('accepts %j, and finds nothing for a text without words', async (text) => {
    await desk.open({ title: 'plain' })
    const { status, body } = await desk.list(`?search=${encodeURIComponent(text)}`)
    expect(status).toBe(200)
    if (wordsOf(text).length === 0) expect(body).toMatchObject({ total: 0, data: [] })
  })

  it('finds exactly the requests that the reference implementation finds', async () => {
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
      const expected = [...made].filter(([, words]) => terms.length > 0 && terms.every((term) => occurs(term, words)))
      const found = (await search(asked)).filter((id) => made.has(id))
      expect(found.sort(), asked).toEqual(expected.map(([id]) => id).sort())
    }
  })
})

/** A simple reference implementation of the search: whether a term occurs in the words. */
function occurs(term: string, words: string[]): boolean {
  const isSpaced = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{N}]/u.test(term)
  if (isSpaced && [...term].length < 3) return words.some((word) => word.startsWith(term))
  return words.some((word) => word.includes(term))
}

describe('wordsOf', () => {
  it('splits a text into words of letters, digits or pictographs, each listed once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const words = wordsOf(text)
        expect(new Set(words).size).toBe(words.length)
        for (const word of words) expect(word).toMatch(/^[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]+$/u)
        expect(wordsOf(words.join(' '))).toEqual(words)
      }),
    )
  })

  it('returns no words for a text without letters, digits and pictographs', () => {
    expect(['%', ' ', '---', '\u0301', ''].flatMap(wordsOf)).toEqual([])
  })
})
