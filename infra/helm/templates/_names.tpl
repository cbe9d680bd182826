{{- define "queue.name" -}}
{{- default .Release.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "queue.labels" -}}
app.kubernetes.io/name: queue
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* The image of a component: a dict of `root` and `component`. */ -}}
{{- define "queue.image" -}}
{{- printf "%s%s:%s" .root.Values.image.prefix .component (default .root.Chart.AppVersion .root.Values.image.tag) -}}
{{- end -}}
