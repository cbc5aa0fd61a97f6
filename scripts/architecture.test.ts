import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importCycles, migrationViolations, TIMERS, violations } from './architecture.ts'

const dependencies = new Map([
  ['platform', new Set(['@storey/kit', 'pg'])],
  ['kit', new Set(['pg'])],
])
const indexed = new Set(['packages/platform/src/features/b', 'packages/platform/src/graph'])
const check = (path: string, text: string) => violations({ path, text }, dependencies, indexed)

describe('the architecture rules', () => {
  it.each([
    ['packages/kit/src/a.ts', "import { x } from '@storey/platform'", 'may not import platform (level 3)'],
    ['packages/platform/src/a.ts', "import { x } from '@storey/provisioning'", 'may not import provisioning (level 3)'],
    ['packages/kit/src/a.ts', "import x from '../../platform/src/b.ts'", 'is a file of another package'],
    ['packages/platform/src/features/a/x.ts', "import { y } from '../b/y.ts'", 'bypasses the index of b'],
    ['packages/platform/src/x.ts', "import type { Z } from './graph/deep/z.ts'", 'bypasses the index of graph'],
    ['packages/platform/src/x.ts', "type Z = import('./graph/z.ts').Z", 'bypasses the index of graph'],
    ['packages/platform/src/x.ts', "const { z } = await import('./graph/z.ts')", 'bypasses the index of graph'],
    ['packages/kit/src/clock.ts', "import type { Database } from '@storey/kit/database'", 'is this package itself'],
    ['packages/kit/src/testing/x.ts', "import { x } from '@storey/kit'", 'is this package itself'],
    ['packages/platform/src/x.ts', "type X = import('@storey/platform').X", 'is this package itself'],
    ['packages/platform/src/a.ts', "import leftPad from 'left-pad'", 'left-pad is not declared'],
    ['packages/platform/src/a.ts', 'const port = process.env.PORT', 'only a main.ts reads process.env'],
    ['packages/kit/src/a.ts', 'const client = new pg.Client({ url })', 'because they set time limits'],
    ['packages/platform/src/a.ts', 'db.rows(sql`select 1`)', 'SQL belongs in'],
    ['packages/platform/src/a.ts', 'const timer = setInterval(run, 1_000)', 'use createLoop'],
    ['packages/kit/src/a.ts', "import { setInterval as every } from 'node:timers/promises'", 'use createLoop'],
    ['packages/host/src/service.ts', 'const timer = undefined', 'has no timer any more'],
  ])('refuse in %s: %s', (path, text, sentence) => {
    const found = check(path, text)
    expect(found.some((violation) => violation.includes(sentence))).toBe(true)
  })

  it.each([
    [
      'packages/platform/src/a.ts',
      "import { x } from '@storey/kit/http'\nimport pg from 'pg'\nimport fs from 'node:fs'",
    ],
    ['packages/platform/src/features/a/x.ts', "import { y } from './y.ts'\nimport { z } from '../../graph/index.ts'"],
    ['packages/platform/src/graph/deep/x.ts', "import { y } from '../y.ts'"],
    ['packages/platform/src/a.ts', "const { y } = await import('./graph/index.ts')"],
    ['packages/platform/src/features/a/x.test.ts', "import { y } from '../b/y.ts'"],
    ['packages/kit/src/a.test.ts', "await import('@storey/kit')"],
    ['packages/platform/src/a.store.ts', 'db.rows(sql`select 1`)'],
    ['packages/host/src/service.ts', 'const timer = setInterval(check, 2_000)'],
    ['packages/shell/src/clock.ts', 'const timer = setInterval(draw, 1_000)'],
    ['packages/platform/src/testing/a.ts', 'const timer = setInterval(run, 1_000)'],
    ['packages/platform/src/main.ts', 'const port = process.env.PORT'],
    ['packages/platform/src/a.test.ts', "import { it } from 'vitest'\ndb.rows(sql`select 1`)"],
  ])('accept in %s: %s', (path, text) => {
    expect(check(path, text)).toEqual([])
  })

  it('accept only timers that ADR 32 describes', () => {
    const text = readFileSync('docs/adr/0032-one-loop-and-one-lease.md', 'utf8')
    expect(Object.keys(TIMERS).filter((path) => !text.includes(`\`${path.replace('packages/', '')}\``))).toEqual([])
  })

  it('report each import cycle once, even a cycle of type-only imports', () => {
    const file = (name: string, ...imports: string[]) => ({
      path: `packages/kit/src/${name}.ts`,
      text: imports.map((other) => `import type { X } from './${other}.ts'`).join('\n'),
    })
    const files = [file('a', 'b'), file('b', 'c', 'd'), file('c', 'a'), file('d'), file('e', 'a')]
    expect(importCycles(files)).toEqual([['a', 'b', 'c'].map((name) => `packages/kit/src/${name}.ts`)])
  })

  it('refuse gaps and repeats in the numbers of migrations', () => {
    expect(migrationViolations(['0002-b.sql', '0001-a.sql'])).toEqual([])
    expect(migrationViolations(['0001-a.sql', '0002-b.sql', '0002-c.sql'])).toEqual([
      '0002-c.sql should have the number 0003',
    ])
    expect(migrationViolations(['0001-a.sql', '0003-b.sql'])).toEqual(['0003-b.sql should have the number 0002'])
  })
})
