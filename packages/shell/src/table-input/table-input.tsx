import { Button, Field, Icon, Note, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { FileDrop } from './file-drop.tsx'
import { parseTable, type TextRow } from './parse-table.ts'
import { readTextFile, type UnreadableFile } from './read-file.ts'
import styles from './table-input.module.css'
import { tableInputTexts } from './texts.ts'

export interface GivenTable {
  /** The name of the file; null if the table was pasted. */
  fileName: string | null
  rows: readonly TextRow[]
}

interface TableInputProps {
  table: GivenTable | undefined
  onTable(table: GivenTable | undefined): void
  /** Whether the first row is a header, which is not counted. */
  hasHeader: boolean
}

/** Takes a table from a CSV file or from the clipboard. */
export function TableInput({ table, onTable, hasHeader }: TableInputProps): ReactNode {
  const t = useTexts(tableInputTexts)
  const [problem, setProblem] = useState<UnreadableFile | 'unreadable' | 'empty'>()
  const take = (text: string, fileName: string | null) => {
    const rows = parseTable(text)
    setProblem(rows.length === 0 && fileName !== null ? 'empty' : undefined)
    onTable(rows.length === 0 ? undefined : { fileName, rows })
  }
  const takeFile = async (file: File) => {
    try {
      const read = await readTextFile(file)
      if ('problem' in read) setProblem(read.problem)
      else take(read.text, file.name)
    } catch {
      setProblem('unreadable')
    }
  }
  if (table) {
    return (
      <p className={styles.given}>
        <Icon name="list" />
        <strong>{table.fileName ?? t('pasted')}</strong>
        <span className="st-quiet">{t('rows', { n: table.rows.length - (hasHeader ? 1 : 0) })}</span>
        <Button small icon="cross" label={t('clear')} onClick={() => onTable(undefined)} />
      </p>
    )
  }
  return (
    <div className="st-stack">
      <FileDrop
        label={t('chooseFile')}
        hint={t('orDrop')}
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        onFile={(file) => void takeFile(file)}
      />
      {problem ? <Note tone="bad">{t(problem)}</Note> : null}
      <Field label={t('paste')} hint={t('pasteHint')}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={4}
            className={styles.paste}
            spellCheck={false}
            defaultValue=""
            onChange={(event) => {
              if (event.target.value.includes('\n')) take(event.target.value, null)
            }}
            onBlur={(event) => take(event.target.value, null)}
          />
        )}
      </Field>
    </div>
  )
}
