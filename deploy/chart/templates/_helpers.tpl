{{/* One installation per cluster, since the CompositeController is one: names are fixed. */}}
{{- define "rds-pilot.selector" -}}
app.kubernetes.io/name: rds-pilot
app.kubernetes.io/component: hook
{{- end }}

{{- define "rds-pilot.labels" -}}
app.kubernetes.io/name: rds-pilot
app.kubernetes.io/part-of: rds-pilot
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "rds-pilot.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "rds-pilot.tlsSecret" -}}
{{- if eq .Values.tls.mode "existing" -}}{{ .Values.tls.existingSecret }}{{- else -}}rds-pilot-tls{{- end -}}
{{- end }}

{{- define "rds-pilot.tokenSecret" -}}
{{ .Values.hookToken.existingSecret | default "rds-pilot-hook" }}
{{- end }}

{{/* Under this name Metacontroller calls the hook, so the certificate must carry it. */}}
{{- define "rds-pilot.host" -}}
rds-pilot.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "rds-pilot.scheme" -}}
{{- if eq .Values.tls.mode "disabled" -}}http{{- else -}}https{{- end -}}
{{- end }}

{{/* The restricted profile, for every container that we make. */}}
{{- define "rds-pilot.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "rds-pilot.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* The controllers as the repository has them (files/ is generated from metacontroller/), as a list. */}}
{{- define "rds-pilot.controllers" -}}
{{- range $path, $_ := .Files.Glob (.Values.sharing.enabled | ternary "files/{controller,decorator}*.yaml" "files/controller*.yaml") }}
{{- range $text := regexSplit "(?m)^---$" ($.Files.Get $path) -1 }}
{{- with fromYaml $text }}
- {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
