{{- define "storey.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "storey.selector" -}}
app.kubernetes.io/name: storey
app.kubernetes.io/component: control-plane
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "storey.labels" -}}
{{ include "storey.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "storey.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "storey.secret" -}}
{{ .Values.secret.existing | default (include "storey.name" .) }}
{{- end }}

{{- define "storey.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "storey.name" .) }}{{ else }}{{ required "serviceAccount.name is required with serviceAccount.create=false" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "storey.host" -}}
{{ (urlParse .Values.publicUrl).host }}
{{- end }}

{{- define "storey.hosts" -}}
{{- $host := regexReplaceAll ":[0-9]+$" (include "storey.host" .) "" -}}
{{ toJson (list $host (printf "*.%s" .Values.baseDomain)) }}
{{- end }}

{{- define "storey.rules" -}}
- apiGroups: [""]
  resources: [secrets, services]
  verbs: [get, list, create, patch, delete]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, create, patch, delete]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies]
  verbs: [get, create, patch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, create, patch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [list]
{{- end }}

{{- define "storey.pairs" -}}
{{- $pairs := list }}{{- range $name, $value := . }}{{- $pairs = append $pairs (printf "%s=%s" $name $value) }}{{- end }}{{ join "," $pairs }}
{{- end }}
