import { LIMITS } from '@storey/contract'
import { createPlatformClient } from '@storey/sdk'
import {
  Button,
  Choice,
  ConfirmDialog,
  ErrorPanel,
  Icon,
  Note,
  Page,
  Panel,
  Progress,
  pageClientOptions,
  useAction,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { FileDrop } from '../table-input/file-drop.tsx'
import { useFileSize } from './file-size.ts'
import styles from './imports.module.css'
import { NoPermission } from './no-permission.tsx'
import { importTexts } from './texts.ts'
import { uploadTransport } from './upload-transport.ts'

type Mode = 'add' | 'replace'
type FileProblem = 'notIfc' | 'tooLarge' | 'emptyFile'

/** Uploads a building model. */
export default function ModelPage(): ReactNode {
  const t = useTexts(importTexts)
  const { may } = useShell()
  return may('data-import.sync:write') ? <ModelForm /> : <NoPermission title={t('modelTitle')} />
}

async function problemOf(file: File): Promise<FileProblem | undefined> {
  if (file.size === 0) return 'emptyFile'
  if (file.size > LIMITS.ifcBytes) return 'tooLarge'
  // An IFC file begins with ISO-10303-21, perhaps after a comment or blank lines.
  const start = await file.slice(0, 1024).text()
  return start.includes('ISO-10303-21') ? undefined : 'notIfc'
}

function ModelForm(): ReactNode {
  const t = useTexts(importTexts)
  const { may } = useShell()
  const [file, setFile] = useState<File>()
  const [problem, setProblem] = useState<FileProblem>()
  const [mode, setMode] = useState<Mode>('add')
  const [isAsking, setIsAsking] = useState(false)
  const upload = useUpload()
  const mayReplace = may('building.graph:write')
  const take = async (next: File) => {
    upload.clear()
    const found = await problemOf(next)
    setProblem(found)
    setFile(found ? undefined : next)
  }
  const start = async () => {
    setIsAsking(false)
    if (file) await upload.run(file, mode === 'replace')
  }
  return (
    <Page title={t('modelTitle')} lead={t('modelLead')} back={{ to: '/imports', label: t('back') }}>
      <Panel>
        <div className={styles.form}>
          {file ? (
            <ChosenFile file={file} onRemove={upload.isBusy ? undefined : () => setFile(undefined)} />
          ) : (
            <FileDrop
              label={t('chooseModel')}
              hint={t('orDrop')}
              accept=".ifc,application/x-step"
              onFile={(next) => void take(next)}
            />
          )}
          {problem ? <Note tone="bad">{t(problem)}</Note> : null}
          <Choice<Mode>
            label={t('how')}
            value={mode}
            hint={mayReplace ? undefined : t('replaceNotAllowed')}
            options={[
              { value: 'add', label: t('add'), hint: t('addHint') },
              ...(mayReplace ? [{ value: 'replace' as const, label: t('replace'), hint: t('replaceHint') }] : []),
            ]}
            onValue={setMode}
          />
          <ErrorPanel error={upload.error} />
          {upload.isBusy && file ? (
            <>
              <Progress percent={Math.round(upload.share * 100)} label={t('uploading', { name: file.name })} />
              <div className="st-row">
                <Button label={t('cancel')} onClick={upload.cancel} />
              </div>
            </>
          ) : (
            <div className="st-row">
              <Button
                kind="primary"
                icon="import"
                label={t('start')}
                disabled={!file}
                onClick={() => (mode === 'replace' ? setIsAsking(true) : void start())}
              />
            </div>
          )}
        </div>
      </Panel>
      {isAsking ? (
        <ConfirmDialog
          title={t('replaceTitle')}
          confirmLabel={t('replace')}
          onClose={() => setIsAsking(false)}
          onConfirm={async () => void start()}
        >
          <p>{t('replaceText')}</p>
        </ConfirmDialog>
      ) : null}
    </Page>
  )
}

function ChosenFile({ file, onRemove }: { file: File; onRemove: (() => void) | undefined }): ReactNode {
  const t = useTexts(importTexts)
  const size = useFileSize()
  return (
    <p className={styles.file}>
      <Icon name="building" />
      <strong>{file.name}</strong>
      <span className="st-quiet">{size(file.size)}</span>
      {onRemove ? <Button small icon="cross" label={t('remove')} onClick={onRemove} /> : null}
    </p>
  )
}

/** Uploads a file and opens the page of its import. Leaving the page needs confirmation while the upload runs. */
function useUpload() {
  const t = useTexts(importTexts)
  const { config, buildingId, session } = useShell()
  const toasts = useToasts()
  const [share, setShare] = useState(0)
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const action = useAction(async (file: File, replace: boolean) => {
    abort.current = new AbortController()
    const { signal } = abort.current
    setShare(0)
    const client = createPlatformClient({
      url: config.apiUrl,
      credential: session.credential,
      ...pageClientOptions,
      fetch: uploadTransport(setShare),
    })
    try {
      const { imports } = client.building(buildingId)
      const { importId } = await imports.ifc(file, { replace, fileName: file.name.slice(-255) }, { signal })
      leaveTo(`/imports/${importId}`)
    } catch (error) {
      if (!signal.aborted) throw error
      toasts.show(t('cancelled'))
    }
  })
  const leaveTo = useUnsavedGuard(action.isBusy)
  return { ...action, share, cancel: () => abort.current?.abort() }
}
