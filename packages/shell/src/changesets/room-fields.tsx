import { spaceTypes } from '@storey/contract'
import type { SpaceNode } from '@storey/sdk'
import { Combobox, Select, spaceTypeName, TextField, useLocale, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import styles from './changesets.module.css'
import type { RoomFields as Fields } from './room-edit.ts'
import { changesetTexts } from './texts.ts'

const STATUSES = ['active', 'vacant', 'out_of_service'] as const

interface RoomFieldsProps {
  fields: Fields
  onChange(changed: Partial<Fields>): void
}

export function RoomFields({ fields, onChange }: RoomFieldsProps): ReactNode {
  const t = useTexts(changesetTexts)
  const locale = useLocale()
  const types = useMemo(
    () =>
      spaceTypes
        .map(({ slug }) => ({ value: slug, label: spaceTypeName(slug, locale) }))
        .sort((a, b) => a.label.localeCompare(b.label, locale)),
    [locale],
  )
  return (
    <>
      <TextField
        label={t('name')}
        value={fields.name}
        onText={(name) => onChange({ name })}
        maxLength={200}
        autoComplete="off"
      />
      <div className={styles.pair}>
        <Combobox
          label={t('type')}
          value={fields.spaceTypeSlug}
          options={types}
          onChange={(spaceTypeSlug) => onChange({ spaceTypeSlug })}
        />
        <Select<SpaceNode['status']>
          label={t('status')}
          value={fields.status}
          options={STATUSES.map((value) => ({ value, label: t(value) }))}
          onValue={(status) => onChange({ status })}
        />
      </div>
    </>
  )
}
