/** The settings of the handlers, each once: bounds, default, environment variable, description. Loads no handler. */
import { builtInJobs, InvalidInput } from '@queue/core'
import { z } from 'zod'

export type BuiltInKind = (typeof builtInJobs)[number]['kind']

/** The kinds that have a handler here. */
export const builtInKinds: readonly BuiltInKind[] = Object.freeze(builtInJobs.map(({ kind }) => kind))

/** An attempt that takes longer than an hour has another problem than its timeout. */
const timeoutMsMax = 3_600_000
const timeoutMs = z.int().min(1).max(timeoutMsMax)

const mebibyte = 1_048_576
const portMax = 65_535
/** Hosts or ports that one deployment names. */
const namedMax = 100

export const emailSettingsSchema = z.strictObject({
  /** The mail server, with credentials where it asks for them. `send_email` needs it. */
  smtpUrl: z.string().refine(isSmtpUrl, 'is not a URL that begins with smtp:// or smtps://').optional().meta({
    variable: 'SMTP_URL',
    secret: true,
    accepted: 'smtp://user:password@host:587, or smtps://user:password@host:465',
    description: 'The mail server; send_email needs it. smtps:// is encrypted from the first byte.',
  }),
  /** Whether smtp:// must be encrypted by STARTTLS before anything is sent. Default: required. */
  tls: z.enum(['required', 'off']).default('required').meta({
    variable: 'SMTP_TLS',
    description:
      'What smtp:// demands: encryption by STARTTLS with a certificate that a known authority has signed, or none.',
  }),
  /** A file with the certificate authority of the mail server, in PEM, where Node does not know it. */
  caFile: z.string().optional().meta({
    variable: 'SMTP_CA_FILE',
    accepted: 'the path of a PEM file',
    description: 'The certificate authority of the mail server, in place of those that Node knows.',
  }),
  /** The sender of every message. `send_email` needs it. */
  from: z.email('is not an e-mail address').optional().meta({
    variable: 'EMAIL_FROM',
    accepted: 'an e-mail address',
    description: 'The sender of every message; send_email needs it. Its domain is that of each Message-ID.',
  }),
  /** Connections to the mail server at most. Default 5. */
  connections: z.int().min(1).max(namedMax).default(5).meta({
    variable: 'SMTP_CONNECTIONS',
    description: 'How many connections to the mail server are kept at most.',
  }),
  /** Milliseconds that sending one message may take. Default 60 000. */
  timeoutMs: timeoutMs.default(60_000).meta({
    unit: 'ms',
    variable: 'SMTP_TIMEOUT_MS',
    description: 'How long sending one message may take, with the wait for a connection.',
  }),
})

export const imageSettingsSchema = z.strictObject({
  /** Where results go: `file:///folder` or `s3://bucket/prefix`. `resize_image` needs it. */
  results: z
    .string()
    .refine(isResultsUrl, 'is neither a file:// URL of a folder nor s3://bucket')
    .optional()
    .meta({
      variable: 'IMAGE_RESULTS',
      accepted: 'file:///folder, or s3://bucket/prefix',
      description: 'Where resized images go; resize_image needs it. The name of each is the id of its job.',
    }),
  /** The address of an S3-compatible store other than that of AWS. */
  s3Endpoint: z.string().refine(isHttpUrl, 'is no http or https URL').optional().meta({
    variable: 'IMAGE_S3_ENDPOINT',
    accepted: 'an http or https URL',
    description: 'The address of an S3-compatible store; unset: AWS. The bucket stands in its path.',
  }),
  /** The region of the bucket. Default us-east-1. */
  s3Region: z.string().min(1).max(namedMax).default('us-east-1').meta({
    variable: 'IMAGE_S3_REGION',
    accepted: 'the name of a region',
    description: 'The region of the bucket.',
  }),
  /** The id of an access key; without it the SDK looks where it always does, such as in the role of the machine. */
  s3AccessKeyId: z.string().min(1).optional().meta({
    variable: 'IMAGE_S3_ACCESS_KEY_ID',
    description: 'The id of an access key; unset: what the AWS SDK finds, such as the role of the machine.',
  }),
  /** The secret of that access key. */
  s3SecretAccessKey: z.string().min(1).optional().meta({
    variable: 'IMAGE_S3_SECRET_ACCESS_KEY',
    secret: true,
    description: 'The secret of that access key.',
  }),
  /** Pixels of a source image at most. Default 50 million. */
  pixelsMax: z.int().min(1).max(268_402_689).default(50_000_000).meta({
    variable: 'IMAGE_PIXELS_MAX',
    description:
      'How many pixels a source image may have. One of 50 million takes 200 MB while it is decoded.',
  }),
  /** Bytes of a source image at most. Default 32 MiB. */
  sourceBytesMax: z
    .int()
    .min(1)
    .max(1_024 * mebibyte)
    .default(32 * mebibyte)
    .meta({
      variable: 'IMAGE_SOURCE_BYTES_MAX',
      description: 'How many bytes a source image may have.',
    }),
  /** Milliseconds that fetching, resizing and storing may each take. Default 30 000. */
  timeoutMs: timeoutMs.default(30_000).meta({
    unit: 'ms',
    variable: 'IMAGE_TIMEOUT_MS',
    description: 'How long fetching, resizing and storing an image may each take.',
  }),
})

export const webhookSettingsSchema = z.strictObject({
  /** The file with the secrets of the receivers. Without it, only unsigned webhooks can be delivered. */
  secretsFile: z.string().min(1).optional().meta({
    variable: 'WEBHOOK_SECRETS_FILE',
    accepted: 'the path of a JSON file',
    description:
      'The secrets by which webhooks are signed, for each receiver; read again when it changes. Unset: no payload may name one.',
  }),
  /** Milliseconds that one delivery may take. Default 15 000. */
  timeoutMs: timeoutMs.default(15_000).meta({
    unit: 'ms',
    variable: 'WEBHOOK_TIMEOUT_MS',
    description: 'How long a receiver may take to answer, connecting included.',
  }),
})

const port = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\d{1,5}$/)
        .transform(Number),
    ],
    'is no port',
  )
  .refine((number) => number >= 1 && number <= portMax, 'is no port')

export const outgoingSettingsSchema = z.strictObject({
  /** Hosts with their ports, `host:port`, that may be reached although their address is not public. Default: none. */
  allow: z
    .array(
      z
        .string()
        .regex(/^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\]):\d{1,5}$/i, 'is not of the form host:port')
        .toLowerCase(),
    )
    .max(namedMax)
    .prefault([])
    .meta({
      variable: 'OUTGOING_ALLOW',
      unset: 'none',
      accepted: `host:port, at most ${namedMax}, separated by commas, such as images.internal:8080`,
      description:
        'What webhooks and image sources may name although its address is not public, or its port not below.',
    }),
  /** The ports that webhooks and image sources may name. Default 80, 443, 8080, 8443. */
  ports: z
    .array(port)
    .min(1)
    .max(namedMax)
    .prefault([80, 443, 8_080, 8_443])
    .meta({
      variable: 'OUTGOING_PORTS',
      accepted: `ports, at most ${namedMax}, separated by commas`,
      description: 'The ports that webhooks and image sources may name.',
    }),
})

/** Every handler's settings, and what they share. */
export const handlerSettingsSchema = z.strictObject({
  /** The kinds that get a handler; the settings of the others are not looked at. Default: all four. */
  kinds: z
    .array(z.enum(builtInKinds))
    .min(1)
    .prefault([...builtInKinds]),
  email: emailSettingsSchema.prefault({}),
  images: imageSettingsSchema.prefault({}),
  webhooks: webhookSettingsSchema.prefault({}),
  outgoing: outgoingSettingsSchema.prefault({}),
})

export type HandlerSettings = z.output<typeof handlerSettingsSchema>
export type EmailSettings = z.output<typeof emailSettingsSchema>
export type ImageSettings = z.output<typeof imageSettingsSchema>
export type WebhookSettings = z.output<typeof webhookSettingsSchema>
export type OutgoingSettings = z.output<typeof outgoingSettingsSchema>

/** A setting that a handler cannot do without. */
export interface MissingSetting {
  readonly path: readonly string[]
  readonly message: string
}

/** The settings without which one of `kinds` cannot work. */
export function missingSettings({
  kinds,
  email,
  images,
}: Pick<HandlerSettings, 'kinds' | 'email' | 'images'>): MissingSetting[] {
  const needs: readonly (readonly [BuiltInKind, readonly string[], unknown])[] = [
    ['send_email', ['email', 'smtpUrl'], email.smtpUrl],
    ['send_email', ['email', 'from'], email.from],
    ['resize_image', ['images', 'results'], images.results],
  ]
  return needs
    .filter(([kind, , value]) => kinds.includes(kind) && value === undefined)
    .map(([kind, path]) => ({ path, message: `is not set, and ${kind} needs it` }))
}

/** The settings with their defaults. Throws `InvalidInput` (code `invalid_options`) with every issue. */
export function parseHandlerSettings(options: z.input<typeof handlerSettingsSchema>): HandlerSettings {
  const parsed = handlerSettingsSchema.safeParse(options)
  const issues = parsed.success ? missingSettings(parsed.data) : parsed.error.issues
  if (parsed.success && issues.length === 0) return parsed.data
  throw new InvalidInput(
    'invalid_options',
    issues.map(({ path, message }) => ({ path: path.map(String), message })),
  )
}

function isSmtpUrl(text: string): boolean {
  return URL.canParse(text) && /^smtps?:\/\/[^/?#]+\/?$/i.test(text)
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function isResultsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash } = new URL(text)
  if (search !== '' || hash !== '') return false
  return protocol === 'file:' ? hostname === '' : protocol === 's3:' && hostname !== ''
}
