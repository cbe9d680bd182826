import { sendEmail } from '@queue/core'
import { type ExecutionContext, type HandledJob, handle } from '@queue/executor'
import type { Transporter } from 'nodemailer'
import type { HandlerModule } from '../handler-module.ts'
import { withDeadline } from '../outgoing/deadline.ts'
import type { EmailSettings } from '../settings.ts'
import { createMailTransport, mailFailure } from './mail-transport.ts'

type EmailJob = HandledJob<typeof sendEmail.payload>

interface SendDeps {
  readonly transport: Transporter
  readonly from: string
  readonly timeoutMs: number
}

/**
 * Sends e-mail over SMTP. Each attempt of a job uses the same Message-ID, derived from the job's id, so that mail servers and
 * programs can recognize a repeat. Rejects if the file of the certificate authority cannot be read.
 */
export async function createSendEmail(
  settings: EmailSettings & { readonly smtpUrl: string; readonly from: string },
): Promise<HandlerModule> {
  const { from, timeoutMs } = settings
  const transport = await createMailTransport(settings.smtpUrl, settings)
  return {
    handler: handle(sendEmail, (job, ctx) => send(job, ctx, { transport, from, timeoutMs })),
    close: () => {
      transport.close()
      return Promise.resolve()
    },
  }
}

async function send({ id, payload }: EmailJob, ctx: ExecutionContext, deps: SendDeps) {
  const { transport, from, timeoutMs } = deps
  const messageId = `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`
  ctx.progress(10, 'send')
  const deadline = { signal: ctx.signal, ms: timeoutMs, what: 'sending the message' }
  const { response } = await withDeadline(deadline, (signal) =>
    transport
      .sendMail({
        from,
        // An object, so that the address cannot be parsed as several addresses.
        to: { name: '', address: payload.to },
        subject: payload.subject,
        text: payload.body,
        messageId,
        signal,
      })
      .catch((error: unknown) => {
        throw mailFailure(error)
      }),
  )
  ctx.progress(100)
  return { message_id: messageId, response }
}
