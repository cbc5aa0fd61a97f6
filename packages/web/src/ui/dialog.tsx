import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { useAction } from '../data/use-action.ts'
import { webWords } from '../words/web-words.ts'
import { useWords } from '../words/words.ts'
import { Button, type ButtonKind } from './button.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { TextField } from './field.tsx'
import { placeOf, returnFocus } from './return-focus.ts'
import { sameText } from './same-text.ts'

interface DialogProps {
  title: string
  /** Escape, the cross, or a press beside it. */
  onClose(): void
  /** False: it is left by its buttons only, where something would be lost. */
  dismissible?: boolean
  footer?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** A native dialog. It is open for as long as it is drawn, and then gives the focus back to where it was. */
export function Dialog({ title, onClose, dismissible = true, footer, wide, children }: DialogProps): ReactNode {
  const t = useWords(webWords)
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed while it is still in the document, and opened in the moment that another one is closed.
  useLayoutEffect(() => {
    const element = dialog.current
    const before = placeOf(document.activeElement)
    if (element && !element.open) {
      element.showModal()
      // What is to be filled in comes first; where nothing is, the harmless button.
      element.querySelector<HTMLElement>('input, select, textarea, footer button')?.focus()
    }
    return () => {
      element?.close()
      returnFocus(before)
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, and the dialog has it by itself
    <dialog
      ref={dialog}
      className={wide ? 'st-dialog st-dialog-wide' : 'st-dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (dismissible) onClose()
      }}
      onClick={(event) => {
        if (dismissible && event.target === dialog.current) onClose()
      }}
    >
      <div className="st-dialog-inside">
        <header>
          <h2 id={id}>{title}</h2>
          {dismissible ? (
            <Button label={t('close')} icon="cross" iconOnly kind="quiet" small onClick={onClose} />
          ) : null}
        </header>
        <div className="st-stack">{children}</div>
        {footer ? <footer>{footer}</footer> : null}
      </div>
    </dialog>
  )
}

interface ConfirmDialogProps {
  title: string
  confirmLabel: string
  kind?: ButtonKind
  /** Has to be typed first, for what cannot be undone. */
  typed?: string
  /** It is busy until this has ended, and shows why it was refused. */
  onConfirm(): Promise<void>
  onClose(): void
  children: ReactNode
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, confirmLabel, kind = 'danger', typed, onConfirm, onClose, children } = props
  const t = useWords(webWords)
  const [text, setText] = useState('')
  const { run, isBusy, error } = useAction(onConfirm)
  const mayConfirm = typed === undefined || sameText(text, typed)
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button label={confirmLabel} kind={kind} disabled={!mayConfirm} isBusy={isBusy} onClick={() => void run()} />
        </>
      }
    >
      {children}
      {typed === undefined ? null : (
        <TextField
          label={t('typeToConfirm', { text: typed })}
          value={text}
          onText={setText}
          autoComplete="off"
          spellCheck={false}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && mayConfirm) void run()
          }}
        />
      )}
      <ErrorPanel error={error} />
    </Dialog>
  )
}
