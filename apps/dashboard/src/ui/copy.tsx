import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './controls.tsx'

const shownMs = 1_500

/** Copies a text. A page without the clipboard API, for example over plain HTTP, selects it and runs the copy command. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  // oxlint-disable-next-line typescript/no-deprecated -- Nothing else copies on a page without TLS.
  document.execCommand('copy')
  area.remove()
}

interface CopyButtonProps {
  readonly text: string
  readonly children: ReactNode
}

export function CopyButton({ text, children }: CopyButtonProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const Icon = copied ? Check : Copy
  return (
    <Button look="quiet" onClick={() => void copyText(text).then(() => setCopied(true))}>
      <Icon size={14} aria-hidden />
      {copied ? 'Copied' : children}
    </Button>
  )
}
