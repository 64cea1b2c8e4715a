# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chan & Tang 2010 Fig. 4: sensitivity fall-off of linear / cubic / NDFT / NFFT (845 nm, 45 nm FWHM, 1.73 mm, 17 depths)"""
import numpy as np, octref as o, sys
N=1024; dlam=0.845**2/(4*1730.0); wres=float(sys.argv[1]) if len(sys.argv)>1 else 1.05
off=float(sys.argv[2])*1e-3 if len(sys.argv)>2 else 0.0; fr=float(sys.argv[3]) if len(sys.argv)>3 else 0.985
sp=o.Spectrometer(N=N,lam_c=0.845+off,fwhm=0.045,dlam=dlam,wres=wres,os=8,level=0.45,fwc=5e4,read_e=40,seed=1)
sp.S_f=np.exp(-4*np.log(2)*((sp.lam_f-0.845)/0.045)**2); sp.S=sp._pix(sp.S_f[None])[0]
k=sp.k; z=o.depth_axis(k); L=64
print('N',N,'dlam nm %.4f'%(dlam*1e3),'lambda range nm %.1f'%(N*dlam*1e3),'zmax mm %.3f'%(z[-1]*1e-3),'wres',wres)
qs=np.unique(np.round(np.linspace(20,fr*N/2,17)).astype(int)); qs=np.r_[qs[:-1],qs[-1]]
C=o.NUDFT(k); G=o.NUFFT(k,2,6,'gauss'); K3=o.NUFFT(k,2,3,'kb'); U=o.UDFT(N); ref=sp.reference()
names=['NDFT','NFFT-G(Msp3)','NUFFT-KB R2W3','linear','cubic','lanczos3','lanczos5','linear+deconv','cubic+deconv','Shafer x2+lin']
res={n:[] for n in names}; shoulder={n:[] for n in names}
lam=sp.lam
for q in qs:
    raw=sp.detect(sp.expected([z[q]],[0.2]),L=L); y=raw-ref
    A={}
    A['NDFT']=C.t1(y); A['NFFT-G(Msp3)']=G.t1(y); A['NUFFT-KB R2W3']=K3.t1(y)
    li=U.t1(o.resample(k,y,'linear')); cu=U.t1(o.resample(k,y,'cubic'))
    A['linear'],A['cubic']=li,cu; A['lanczos3']=U.t1(o.resample(k,y,'lanczos',3)); A['lanczos5']=U.t1(o.resample(k,y,'lanczos',5))
    A['linear+deconv']=li/o.deconv_lanes('linear',N); A['cubic+deconv']=cu/o.deconv_lanes('cubic',N)
    s,kk=o.shafer_resample(lam,y[:,::-1],2); A['Shafer x2+lin']=np.fft.fft(s,axis=-1)/np.sqrt(N)/2
    for n in names:
        m=np.abs(A[n][:,:N//2]).mean(0); w=slice(max(q-4,1),min(q+5,N//2)); pk=m[w].max(); res[n].append(pk)
        # shoulder: energy-mean level 15..60 bins shallower than the peak, re the peak
        a=m[max(q-80,2):max(q-20,3)]; shoulder[n].append(20*np.log10(np.sqrt((a**2).mean())/pk))
zz=z[qs]/1e3
print('depth mm      '+' '.join('%6.2f'%v for v in zz))
for n in names:
    d=20*np.log10(np.array(res[n])/res[n][0]); print('%-14s'%n+' '.join('%6.1f'%v for v in d))
zt=np.pi/2*qs/(N/2); th=20*np.log10(np.sinc(zt/np.pi)*np.exp(-wres**2*zt**2/(4*np.log(2)))); print('theory(Nassif)'+' '.join('%6.1f'%v for v in th-th[0]))
f={n:20*np.log10(res[n][-1]/res[n][0]) for n in names}
print('at max depth: NDFT-cubic %.2f dB, NDFT-linear %.2f dB, NDFT %.2f dB, NFFT-NDFT %.4f dB'%(f['NDFT']-f['cubic'],f['NDFT']-f['linear'],f['NDFT'],f['NFFT-G(Msp3)']-f['NDFT']))
i=np.argmin(abs(zz-1.3)); print('shoulder (20..80 bins in front of the peak) at %.2f mm: '%zz[i]+', '.join('%s %.1f'%(n,shoulder[n][i]) for n in names))
print('NFFT vs NDFT rel l2 error: G %.2e KB3 %.2e'%(o.rel_err(G.t1(y),C.t1(y)),o.rel_err(K3.t1(y),C.t1(y))))
