// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 finds its parts through it, and wants it first
import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

/** A certificate with its private key, both as PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

/** A certificate authority for a test. */
export interface Authority {
  /** The certificate that clients trust, as PEM. */
  readonly certificate: string
  /** Issues a certificate for a server with this DNS name. */
  certify(name: string): Promise<KeyPair>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000

/** Creates an authority. Its certificates are valid from yesterday until tomorrow, so that clocks may differ. */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await newKeys()
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    serialNumber: '01',
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  return {
    certificate: ca.toString('pem'),
    certify: async (dnsName) => {
      const { publicKey, privateKey } = await newKeys()
      const certificate = await x509.X509CertificateGenerator.create({
        ...validity(),
        serialNumber: '02',
        subject: `CN=${dnsName}`,
        issuer: ca.subject,
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: dnsName }])],
      })
      return { certificate: certificate.toString('pem'), key: await pemOf(privateKey) }
    },
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) }
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}
