{{- define "queue.name" -}}
{{- default .Release.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- /* The labels that select pods. No release may change them: the selector of a Deployment is immutable. */ -}}
{{- define "queue.selector" -}}
app.kubernetes.io/name: queue
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* The labels that Kubernetes recommends for every object: https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ */ -}}
{{- define "queue.labels" -}}
{{ include "queue.selector" . }}
app.kubernetes.io/version: {{ quote .Chart.AppVersion }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: queue
helm.sh/chart: {{ .Chart.Name }}-{{ replace "+" "_" .Chart.Version }}
{{- end -}}

{{- /* The image of a component: a dict of `root` and `component`. */ -}}
{{- define "queue.image" -}}
{{- printf "%s%s:%s" .root.Values.image.prefix .component (default .root.Chart.AppVersion .root.Values.image.tag) -}}
{{- end -}}
