import { Icon } from '@storey/web'
import { type DragEvent, type ReactNode, useId, useState } from 'react'
import styles from './table-input.module.css'

interface FileDropProps {
  label: string
  hint: string
  /** The value of the attribute `accept`. */
  accept: string
  disabled?: boolean
  onFile(file: File): void
}

/** A file input that also takes a file dropped on it. */
export function FileDrop({ label, hint, accept, disabled = false, onFile }: FileDropProps): ReactNode {
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    const file = event.dataTransfer.files[0]
    if (file && !disabled) onFile(file)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is another way to use the input inside
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(!disabled)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <input
        id={id}
        className="st-visually-hidden"
        type="file"
        accept={accept}
        disabled={disabled}
        onChange={(event) => {
          const file = event.target.files?.[0]
          // Without this the browser would report no change if the same file is chosen again, after it was edited.
          event.target.value = ''
          if (file) onFile(file)
        }}
      />
      <label htmlFor={id} className="st-button">
        <Icon name="plus" />
        <span>{label}</span>
      </label>
      <span className="st-quiet">{hint}</span>
    </div>
  )
}
