{{- /* The restrictions of every pod: no service account token, no privileges, no root. */ -}}
{{- define "queue.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "queue.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Variables from a map of names to strings. */ -}}
{{- define "queue.env" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ quote $value }}
{{- end }}
{{- end -}}

{{- define "queue.commonEnv" -}}
- name: DATABASE_URL_FILE
  value: /etc/queue/secrets/database-url
- name: QUEUE_SCHEMA
  value: {{ quote .Values.database.schema }}
- name: LOG_LEVEL
  value: {{ quote .Values.log.level }}
{{- end -}}

{{- define "queue.volumeMounts" -}}
- name: secrets
  mountPath: /etc/queue/secrets
  readOnly: true
{{- if or .Values.database.caSecret.name .Values.database.caConfigMap.name }}
- name: tls
  mountPath: /etc/queue/tls
  readOnly: true
{{- end }}
{{- end -}}

{{- /* The file of the database's URL. Takes a dict of `root` and `own`; `own` has precedence if it names a Secret. */ -}}
{{- define "queue.databaseUrl" -}}
{{- $secret := .root.Values.database.urlSecret }}
{{- if .own.name }}
{{- $secret = .own }}
{{- end }}
- secret:
    name: {{ $secret.name }}
    items:
      - key: {{ $secret.key }}
        path: database-url
{{- end -}}

{{- define "queue.tlsVolume" -}}
{{- if or .Values.database.caSecret.name .Values.database.caConfigMap.name }}
- name: tls
  projected:
    sources:
      {{- if .Values.database.caSecret.name }}
      - secret:
          name: {{ .Values.database.caSecret.name }}
          items:
            - key: {{ .Values.database.caSecret.key }}
              path: ca.crt
      {{- else }}
      - configMap:
          name: {{ .Values.database.caConfigMap.name }}
          items:
            - key: {{ .Values.database.caConfigMap.key }}
              path: ca.crt
      {{- end }}
{{- end }}
{{- end -}}

{{- /* The host names of the API in the cluster, and those in api.allowedHosts. */ -}}
{{- define "queue.apiHosts" -}}
{{- $service := printf "%s-api" (include "queue.name" .) }}
{{- $namespaced := printf "%s.%s" $service .Release.Namespace }}
{{- join "," (list $service $namespaced (printf "%s.svc" $namespaced) (printf "%s.svc.cluster.local" $namespaced)) }}
{{- range .Values.api.allowedHosts }},{{ . }}{{ end }}
{{- end -}}

{{- /* `.` is the name of the port. The liveness probe does not query the database: an outage of it must not restart pods. */ -}}
{{- define "queue.probes" -}}
startupProbe:
  httpGet:
    path: /livez
    port: {{ . }}
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  httpGet:
    path: /livez
    port: {{ . }}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet:
    path: /readyz
    port: {{ . }}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
