import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { webTexts } from '../i18n/web-texts.ts'
import { useAction } from '../queries/use-action.ts'
import { Button, type ButtonKind } from './button.tsx'
import { ErrorPanel } from './error-panel.tsx'
import { TextField } from './field.tsx'
import { focusPathOf, returnFocus } from './return-focus.ts'
import { sameText } from './same-text.ts'

interface DialogProps {
  title: string
  /** Called on Escape, the close button, or a click outside. */
  onClose(): void
  /** False: only the footer buttons close the dialog, so that nothing is lost by accident. */
  dismissible?: boolean
  footer?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** A native dialog. It is open while it is mounted, and returns the focus when it is unmounted. */
export function Dialog({ title, onClose, dismissible = true, footer, wide, children }: DialogProps): ReactNode {
  const t = useTexts(webTexts)
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // A layout effect, because its cleanup closes the dialog before the dialog is removed from the document, and because
  // a dialog that replaces another one then opens in the same frame.
  useLayoutEffect(() => {
    const element = dialog.current
    const before = focusPathOf(document.activeElement)
    if (element && !element.open) {
      element.showModal()
      // Focuses the first input, or else the first button of the footer.
      element.querySelector<HTMLElement>('input, select, textarea, footer button')?.focus()
    }
    return () => {
      element?.close()
      returnFocus(before)
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={wide ? 'st-dialog st-dialog-wide' : 'st-dialog'}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
        // The browser ignores `preventDefault` in the cancel event of a second Escape without another input in between.
        event.preventDefault()
        if (dismissible) onClose()
      }}
      onCancel={(event) => {
        // The picker of a file input sends this event too.
        if (event.target !== dialog.current) return
        event.preventDefault()
        if (dismissible) onClose()
      }}
      onClose={() => {
        // The browser closed the dialog, for example after two back gestures. The event of the cleanup comes later, when
        // the dialog is removed or open again.
        if (!dialog.current || dialog.current.open) return
        if (dismissible) onClose()
        else dialog.current.showModal()
      }}
      onClick={(event) => {
        if (dismissible && event.target === dialog.current) onClose()
      }}
    >
      <div className="st-dialog-content">
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
  /** The user must type this text to confirm an action that cannot be undone. */
  typed?: string
  /** The dialog is busy until the promise settles, and shows the error if it rejects. */
  onConfirm(): Promise<void>
  onClose(): void
  children: ReactNode
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, confirmLabel, kind = 'danger', typed, onConfirm, onClose, children } = props
  const t = useTexts(webTexts)
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
